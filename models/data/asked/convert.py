import pathlib,re,gzip,shutil
from bs4 import BeautifulSoup
from markdownify import markdownify
import xml.etree.ElementTree as ET
def html(src,out,glob='*.html'):
    n=0
    for p in sorted(pathlib.Path(src).glob(glob)):
        s=BeautifulSoup(p.read_bytes(),'html.parser')
        for x in s(['script','style','nav','head']): x.decompose()
        for x in s.select('.navheader,.navfooter,.sphinxsidebar,.related,.footer,.toc,.headerlink,.navigation'): x.decompose()
        b=s.select_one('div.body') or s.body or s
        for a in b('a'): a.unwrap()
        for i in b('img'): i.decompose()
        t=markdownify(str(b),heading_style='ATX',escape_asterisks=False,escape_underscores=False,code_language='')
        t=re.sub(r'[ \t]+\n','\n',t); t=re.sub(r'\n{3,}','\n\n',t).strip()+'\n'
        if len(t)<400: continue
        o=pathlib.Path('sets')/out/(p.stem+'.md'); o.parent.mkdir(parents=True,exist_ok=True); o.write_text(t); n+=1
    print(out,n)
def page(src,out):
    n=0
    ns='{http://projectmallard.org/1.0/}'
    def inl(e):
        s=(e.text or '')
        for c in e: s+=inl(c)+(c.tail or '')
        return re.sub(r'\s+',' ',s)
    def blk(e,d,o):
        for c in e:
            t=c.tag.replace(ns,'') if isinstance(c.tag,str) else ''
            if t in('info','links','media','comment'): continue
            if t=='title': o.append('#'*d+' '+inl(c).strip())
            elif t=='p': o.append(inl(c).strip())
            elif t in('steps','list'):
                for k,i in enumerate(c.findall(ns+'title')): o.append(inl(i).strip())
                o.append('\n'.join((f'{k+1}. ' if t=='steps' else '- ')+' '.join(inl(x).strip() for x in i) for k,i in enumerate(c.findall(ns+'item'))))
            elif t=='terms':
                for i in c.findall(ns+'item'):
                    o.append('- **'+inl(i.find(ns+'title')).strip()+'**: '+' '.join(inl(x).strip() for x in i if not x.tag.endswith('title')))
            elif t in('section',): blk(c,d+1,o)
            elif t in('screen','code'): o.append('```\n'+(''.join(c.itertext())).strip()+'\n```')
            elif t in('note','example','synopsis'): blk(c,d+1,o)
            elif t=='table': 
                for r in c.iter(ns+'tr'): o.append('| '+' | '.join(inl(x).strip() for x in r)+' |')
    for p in sorted(pathlib.Path(src).glob('*.page')):
        try: r=ET.parse(p).getroot()
        except Exception: continue
        o=[]; blk(r,1,o); t='\n\n'.join(x for x in o if x)+'\n'
        if len(t)<400: continue
        q=pathlib.Path('sets')/out/(p.stem+'.md'); q.parent.mkdir(parents=True,exist_ok=True); q.write_text(t); n+=1
    print(out,n)
D='deb/x/'
html(D+'gnucash-docs/usr/share/doc/gnucash-docs/gnucash-guide-en','gnucash')
html(D+'aptitude-doc-en/usr/share/doc/aptitude/html/en','aptitude')
html(D+'borgbackup-doc/usr/share/doc/borgbackup/html','borg')
html(D+'borgbackup-doc/usr/share/doc/borgbackup/html','borg','deployment/*.html')
html(D+'debian-faq/usr/share/doc/debian/FAQ','debianfaq','*.html')
html(D+'debian-policy/usr/share/doc/debian-policy/policy.html','policy')
html(D+'developers-reference/usr/share/developers-reference','devref')
html(D+'installation-guide-amd64/usr/share/doc/installation-guide-amd64/en','install')
page(D+'gnome-user-docs/usr/share/help/C/gnome-help','gnomehelp')
import os
for p in pathlib.Path('npm/x/npm-11.21.2').rglob('*.md'):
    if '/docs/' in str(p) and 'node_modules' not in str(p):
        o=pathlib.Path('sets/npm')/str(p).split('/docs/')[1]; o.parent.mkdir(parents=True,exist_ok=True); shutil.copy(p,o)
html(D+'gimp-help-en/usr/share/gimp/2.0/help/en','gimp','gimp-[cdfiltuqp]*.html')
html(D+'homebank-data/usr/share/doc/homebank-data/help','homebank')
html(D+'harden-doc/usr/share/doc/harden-doc/html/en-US' ,'securing')
import os
html(D+'libreoffice-help-en-gb/usr/share/libreoffice/help/en-GB/text/swriter/guide','writer')
html(D+'libreoffice-help-en-gb/usr/share/libreoffice/help/en-GB/text/scalc/guide','calc')
html(D+'git-doc/usr/share/doc/git-doc','git','git*.html')
html(D+'postgresql-doc-15/usr/share/doc/postgresql-doc-15/html','postgres','[abcdhilmprw]*-*.html')
